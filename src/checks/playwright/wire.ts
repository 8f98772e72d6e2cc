import type { Static } from '../../schema/typebox.ts'
import { bundlePrefix, maxBundleLength } from '../probe/playwright/code-bundle.ts'
import { present, type WireCodec } from '../wire.ts'
import { readPairs, writeVariables } from '../wire-pairs.ts'
import type { WireReader } from '../wire-reader.ts'
import type { PlaywrightSettings } from './shape.ts'

type Settings = Static<typeof PlaywrightSettings>

/** A suite is a folder on the server, or a bundle of files. Its own configuration determines the browsers. */
export const wire: WireCodec<Settings> = {
  path: 'playwright',
  read: (body) => {
    body.ignore('request')
    const path = body.text('codeBundlePath', maxBundleLength)
    const isBundle = path?.startsWith(bundlePrefix) === true
    const folder = body.text('workingDir')
    return present<unknown>({
      ...(isBundle ? { bundle: path, bundleFolder: folder } : { directory: path }),
      ...readCommand(body),
      environment: readPairs(body, 'environmentVariables'),
      suiteFields: readSuiteFields(body),
    })
  },
  write: ({ directory, bundle, bundleFolder, bundleConfig, project, grep, environment, suiteFields = {} }) => ({
    codeBundlePath: bundle ?? directory,
    testCommand: bundleConfig === undefined ? writeCommand({ project, grep }) : writeShellCommand({ config: bundleConfig, project, grep }),
    environmentVariables: writeVariables(environment),
    browsers: suiteFields.browsers ?? [],
    cacheHash: suiteFields.cacheHash ?? '',
    playwrightVersion: suiteFields.playwrightVersion ?? null,
    installCommand: null,
    workingDir: bundleFolder ?? null,
    engine: suiteFields.engine ?? null,
    engineVersion: suiteFields.engineVersion ?? null,
  }),
  pointers: {
    '/directory': '/codeBundlePath',
    '/bundle': '/codeBundlePath',
    '/bundleFolder': '/workingDir',
    '/bundleConfig': '/testCommand',
    '/project': '/testCommand',
    '/grep': '/testCommand',
    '/environment': '/environmentVariables',
    '/suiteFields': '',
  },
}

function readSuiteFields(body: WireReader): Settings['suiteFields'] {
  const browsers = body.texts('browsers')
  const [cacheHash, playwrightVersion, engine, engineVersion] = ['cacheHash', 'playwrightVersion', 'engine', 'engineVersion'].map((name) =>
    body.text(name, 200),
  )
  const fields = present({ browsers: browsers.length > 0 ? [...browsers] : undefined, cacheHash, playwrightVersion, engine, engineVersion })
  return Object.keys(fields).length > 0 ? fields : undefined
}

const command = 'npx playwright test'
const quoted = '"(?:[^"\\\\]|\\\\.)*"'
const grammar = new RegExp(`^${command}(?: --project=(${quoted}))?(?: --grep=(${quoted}))?$`)

/** The shell command that command-line clients send for a bundle. */
const word = `((?:'[^']*'|"'"|[%+,\\-./:=@_0-9A-Za-z])+)`
const shellGrammar = new RegExp(`^(?:npx|pnpm|yarn|bunx) playwright test --config ${word}(?: --project ${word})?(?: --grep ${word})?$`)

type Command = Pick<Settings, 'project' | 'grep' | 'bundleConfig'>

function readCommand(body: WireReader): Command {
  const text = body.text('testCommand')
  if (text === undefined) return {}
  const shell = shellGrammar.exec(text)
  if (shell) return present({ bundleConfig: shellText(shell[1]), project: shellText(shell[2]), grep: shellText(shell[3]) })
  const [, project, grep] = grammar.exec(text) ?? []
  if (!grammar.test(text)) body.fault('testCommand', `testCommand must be ${command}, with --project="…" and --grep="…" if needed`)
  return present({ project: unquoted(project), grep: unquoted(grep) })
}

function shellText(text: string | undefined): string | undefined {
  return text?.replace(/'([^']*)'|"(')"/g, (_, quoted: string | undefined, apostrophe: string | undefined) => quoted ?? apostrophe ?? '')
}

const shellQuoted = (text: string) => (/^[%+,\-./:=@_0-9A-Za-z]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`)

function writeShellCommand(given: Readonly<Record<'config' | 'project' | 'grep', string | undefined>>): string {
  const options = Object.entries(present(given)).map(([name, value]) => ` --${name} ${shellQuoted(value)}`)
  return `${command}${options.join('')}`
}

function unquoted(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function writeCommand({ project, grep }: { readonly project: string | undefined; readonly grep: string | undefined }): string {
  const options = Object.entries(present({ project, grep })).map(([name, value]) => ` --${name}=${JSON.stringify(value)}`)
  return `${command}${options.join('')}`
}
