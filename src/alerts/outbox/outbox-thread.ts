import { answerCalls, functionsOf, threadData } from '../../threads/answer-calls.ts'
import { openAlertDatabase } from './alert-database.ts'

answerCalls(functionsOf(openAlertDatabase(threadData())))
