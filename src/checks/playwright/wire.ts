import type { Static } from '../../schema/typebox.ts'
import { present, type WireCodec } from '../wire.ts'
import { readPairs, writeVariables } from '../wire-pairs.ts'
import type { WireReader } from '../wire-reader.ts'
import type { PlaywrightSettings } from './shape.ts'

type Settings = Static<typeof PlaywrightSettings>

/** A suite is a folder on the server: its own files say which browsers and which Playwright it needs. */
export const wire: WireCodec<Settings> = {
  path: 'playwright',
  read: (body) => {
    body.ignore('request', 'browsers', 'cacheHash', 'playwrightVersion', 'engine', 'engineVersion')
    return present<unknown>({
      directory: body.text('codeBundlePath'),
      ...readCommand(body),
      environment: readPairs(body, 'environmentVariables'),
    })
  },
  write: ({ directory, project, grep, environment }) => ({
    codeBundlePath: directory,
    testCommand: writeCommand({ project, grep }),
    environmentVariables: writeVariables(environment),
    browsers: [],
    cacheHash: '',
    playwrightVersion: null,
    installCommand: null,
    workingDir: null,
    engine: null,
    engineVersion: null,
  }),
  pointers: {
    '/directory': '/codeBundlePath',
    '/project': '/testCommand',
    '/grep': '/testCommand',
    '/environment': '/environmentVariables',
  },
}

const command = 'npx playwright test'
const quoted = '"(?:[^"\\\\]|\\\\.)*"'
const grammar = new RegExp(`^${command}(?: --project=(${quoted}))?(?: --grep=(${quoted}))?$`)

function readCommand(body: WireReader): Pick<Settings, 'project' | 'grep'> {
  const text = body.text('testCommand')
  if (text === undefined) return {}
  const [, project, grep] = grammar.exec(text) ?? []
  if (!grammar.test(text))
    body.fault('testCommand', `testCommand must be ${command}, with --project="…" and --grep="…" where they are needed`)
  return present({ project: unquoted(project), grep: unquoted(grep) })
}

function unquoted(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function writeCommand({ project, grep }: { readonly project: string | undefined; readonly grep: string | undefined }): string | null {
  if (project === undefined && grep === undefined) return null
  const options = Object.entries(present({ project, grep })).map(([name, value]) => ` --${name}=${JSON.stringify(value)}`)
  return `${command}${options.join('')}`
}
