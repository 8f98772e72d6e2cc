import { type LogPlace, logStart } from '../documents/document-log.ts'
import type { Contents, Destination } from './contents.ts'

const versionsPerStep = 200

/** Copies all versions of documents that the destination lacks; returns how many. */
export async function copyDocuments(source: Contents, destination: Destination): Promise<number> {
  let copied = 0
  for (let place: LogPlace = logStart; ; ) {
    const versions = await source.documentsAfter(place, versionsPerStep)
    if (versions.length === 0) return copied
    copied += await destination.addDocuments(versions)
    place = versions.at(-1) ?? place
  }
}
