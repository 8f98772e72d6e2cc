import { answerCalls, functionsOf, threadData } from '../../threads/answer-calls.ts'
import { openSharedAlertDatabase } from './shared-alert-database.ts'

answerCalls(functionsOf(openSharedAlertDatabase(threadData())))
