import { answerBlocking, functionsOf } from '../threads/answer-calls.ts'
import { decodeWithinBudget } from './decode-evidence.ts'

answerBlocking(functionsOf({ decode: decodeWithinBudget }))
