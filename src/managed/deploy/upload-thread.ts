import { answerBlocking, functionsOf } from '../../threads/answer-calls.ts'
import { packBundle } from './pack-bundle.ts'
import { splitDeployBody } from './split-body.ts'

answerBlocking(functionsOf({ split: splitDeployBody, pack: packBundle }))
