import { workerData } from 'node:worker_threads'
import { answerCalls } from '../store/threads/worker.ts'
import { openOutboxDatabase } from './outbox-database.ts'

answerCalls(openOutboxDatabase(workerData))
