import { workerData } from 'node:worker_threads'
import { answerCalls } from '../../threads/worker.ts'
import { openWriter } from './writer.ts'

answerCalls(openWriter(workerData.directory))
