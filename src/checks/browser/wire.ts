import type { Static } from '../../schema/typebox.ts'
import { present, type WireCodec } from '../wire.ts'
import { readScript, scriptPointers, writeScriptFields } from '../wire-script.ts'
import type { BrowserSettings } from './shape.ts'

export const wire: WireCodec<Static<typeof BrowserSettings>> = {
  path: 'browser',
  read: (body) => present<unknown>({ url: body.template('url'), ...readScript(body) }),
  write: (settings) => ({ shouldFail: false, url: settings.url ?? null, ...writeScriptFields(settings), sslCheckDomain: '' }),
  pointers: scriptPointers,
}
