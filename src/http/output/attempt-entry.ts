import { isAboutChannel } from '../../alerts/loop/channel-notice.ts'
import type { DeliveryAttempt } from '../../alerts/outbox/alert-records.ts'
import { isoText } from '../../time.ts'

/** One attempt to deliver a message, as the stream tells it. */
export function attemptEntry({ delivery, at, outcome, answer, nextAt }: DeliveryAttempt) {
  const { message, channel, incident } = delivery
  return {
    /** Of the message: the same for each attempt. */
    id: message.id,
    alertId: isAboutChannel(delivery) ? null : incident,
    channel,
    event: message.event,
    title: message.title,
    at: isoText(at),
    outcome,
    answer,
    nextAt: nextAt === null ? null : isoText(nextAt),
  }
}
