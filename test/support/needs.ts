import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Which requirement of a skipped test the machine lacks, as a sentence. */
    missing?: string
  }
}

type Needing = { readonly skip?: true; readonly meta?: { readonly missing: string } }

/** This machine, in the form that self-tests take. */
export const machine = { chromium: process.env.TIDEMARK_CHROMIUM || null, env: process.env }

/** Options of a test or suite with a requirement: skipped, with the reason, if the machine lacks it. */
export function needing(missing: string | null): Needing {
  return missing === null ? {} : { skip: true, meta: { missing } }
}

/** Skips a running test for the same reason. */
export function skipLacking({ task, skip }: TestContext, missing: string | null): void {
  if (missing === null) return
  task.meta.missing = missing
  skip(missing)
}

/** Null if one of these programs is on the PATH. */
export async function programMissing(...names: readonly string[]): Promise<string | null> {
  const folders = (machine.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  const found = await Promise.all(places.map(isProgram))
  return found.includes(true) ? null : `there is no ${names[0]} on this machine`
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
