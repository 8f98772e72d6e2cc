import { answerBlocking, functionsOf, threadData } from '../../../threads/answer-calls.ts'
import { replyOf } from '../../threads/pool-thread.ts'
import { openFolderReader } from './folder-reader.ts'

let isCancelled = () => false

/** Called regularly while a question is answered; cancels it if its caller has left. */
function checkpoint(): void {
  if (isCancelled()) throw new Error('The query was cancelled.')
}

const { directory, cacheBytes } = threadData<{ readonly directory: string; readonly cacheBytes: number }>()
const answer = functionsOf(openFolderReader(directory, cacheBytes, checkpoint))

answerBlocking((call) => {
  isCancelled = call.isCancelled
  return replyOf(() => answer(call))
})
