import { answerCalls, functionsOf, threadData } from '../threads/answer-calls.ts'
import { openOutboxDatabase } from './outbox-database.ts'

answerCalls(functionsOf(openOutboxDatabase(threadData())))
