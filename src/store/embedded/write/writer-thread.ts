import { answerCalls, functionsOf, threadData } from '../../../threads/answer-calls.ts'
import { openWriter } from './writer.ts'

answerCalls(functionsOf(openWriter(threadData<{ readonly directory: string }>().directory)))
