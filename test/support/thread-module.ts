import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transformWithOxc } from 'vite'
import { temporaryFolder } from './temporary-folder.ts'

const answerCalls = new URL('../../src/threads/answer-calls.ts', import.meta.url)

/** A thread module with this body, which can use all exports of answer-calls.ts. */
export async function threadModule(body: string): Promise<URL> {
  const folder = temporaryFolder()
  const { code } = await transformWithOxc(readFileSync(answerCalls, 'utf8'), answerCalls.pathname)
  writeFileSync(join(folder, 'answer-calls.mjs'), code)
  writeFileSync(
    join(folder, 'thread.mjs'),
    `import { answerBlocking, answerCalls, functionsOf, threadData } from './answer-calls.mjs'\n${body}`,
  )
  return pathToFileURL(join(folder, 'thread.mjs'))
}
