import { readFile, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import type { SuiteReport } from './report.ts'

/** The last screenshot of a failed test that is a JPEG in this folder and fits; only those are known to be redacted. */
export async function readScreenshot(report: SuiteReport | null, folder: string, maxBytes: number): Promise<Uint8Array | null> {
  const failed = (report?.tests ?? []).filter(({ state }) => state === 'failed')
  const paths = failed.flatMap(({ screenshots }) => screenshots).filter((path) => path.startsWith(folder + sep))
  for (const path of paths.reverse()) {
    const picture = await readUpTo(path, maxBytes)
    if (picture !== null && isJpeg(picture)) return picture
  }
  return null
}

/** Only reads files: opening a pipe that the script has left there would never end. */
async function readUpTo(path: string, maxBytes: number): Promise<Uint8Array | null> {
  try {
    const found = await stat(path)
    return found.isFile() && found.size <= maxBytes ? await readFile(path) : null
  } catch {
    return null
  }
}

function isJpeg([first, second]: Uint8Array): boolean {
  return first === 0xff && second === 0xd8
}
