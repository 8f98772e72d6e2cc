import { withLiterals, withoutVariables } from '../text/variable-references.ts'
import { present } from './wire.ts'
import { readPairs, writeVariables } from './wire-pairs.ts'
import type { WireReader } from './wire-reader.ts'

type ScriptSettings = {
  readonly script?: string
  readonly inlineScript?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Of the text of a script. */
export const maxScriptLength = 500_000

/** A script is sent as its text; `scriptPath` alone names a file beside the config file. */
export function readScript(body: WireReader): Readonly<Record<string, unknown>> {
  body.ignore('request')
  const text = body.text('script', maxScriptLength)
  const path = body.text('scriptPath')
  return present<unknown>({
    ...(text === undefined ? { script: path } : { inlineScript: withoutVariables(text) }),
    environment: readPairs(body, 'environmentVariables'),
  })
}

export function writeScriptFields({ script, inlineScript, environment }: ScriptSettings) {
  return {
    script: inlineScript === undefined ? null : withLiterals(inlineScript),
    scriptPath: script ?? null,
    environmentVariables: writeVariables(environment),
  }
}

export const scriptPointers = { '/script': '/scriptPath', '/inlineScript': '/script', '/environment': '/environmentVariables' }
