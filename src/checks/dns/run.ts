import type { Static } from '../../schema/typebox.ts'
import { failureMessage } from '../probe/failures.ts'
import { stopwatch } from '../probe/net/stopwatch.ts'
import type { RunFunction } from '../probe/run.ts'
import { answerJudge } from './judge-answer.ts'
import { encodeQuestion } from './message.ts'
import { nameServerOf } from './name-server.ts'
import { sendQuery } from './query.ts'
import type { DnsSettings, metrics } from './shape.ts'

export const run: RunFunction<Static<typeof DnsSettings>, typeof metrics> = async ({ request }, context) => {
  const watch = stopwatch(['total'])
  const notes: string[] = []
  const { recordType = 'A', protocol = 'UDP', assertions = [] } = request
  const { secrets, signal } = context
  try {
    const question = encodeQuestion(request.query, recordType)
    const server = await nameServerOf(request, context)
    watch.start('total', 'query')
    const message = await sendQuery(question, { server, protocol, signal, onNote: (note) => notes.push(note) })
    watch.stop()
    const total = watch.total()
    const verdict = await context.judge(answerJudge, { message, recordType, total, assertions, secrets })
    notes.push(...(verdict.notes ?? []))
    return { metrics: { total }, failure: verdict.failure, broken: false, assertions: verdict.assertions, notes }
  } catch (error) {
    return { metrics: { total: null }, failure: failureMessage(error, watch.at() || 'DNS lookup', context), broken: true, notes }
  }
}
