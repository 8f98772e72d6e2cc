import type { Static } from '../../schema/typebox.ts'
import type { WireCodec } from '../wire.ts'
import { readScript, scriptPointers, writeScriptFields } from '../wire-script.ts'
import type { MultistepSettings } from './shape.ts'

export const wire: WireCodec<Static<typeof MultistepSettings>> = {
  path: 'multistep',
  read: readScript,
  write: (settings) => ({ shouldFail: false, ...writeScriptFields(settings) }),
  pointers: scriptPointers,
}
