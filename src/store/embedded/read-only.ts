import type { Store } from '../store.ts'
import { scan } from './embedded-store.ts'
import { inlineLane } from './lane.ts'
import { openReader } from './reader.ts'

/** Reads the results of a folder beside the server that may be using it. */
export function openReadOnly(directory: string): Pick<Store, 'scan' | 'close'> {
  const reader = inlineLane(openReader(directory))
  return { scan: (check, window) => scan(reader, check, window), close: () => reader.close() }
}
