import { randomUUID } from 'node:crypto'
import { fallbackChannel } from '../../catalogue/policies/policies.ts'
import { neverNotified } from '../decide/compare.ts'
import type { Delivery } from '../decide/model.ts'
import type { DeliveryAttempt } from '../outbox/alert-records.ts'

/** Messages about a channel have its name, with this prefix, instead of an incident id. */
const prefix = 'channel:'

export const isAboutChannel = ({ incident }: Pick<Delivery, 'incident'>): boolean => incident.startsWith(prefix)

/** The message to the channel named `fallback` about a channel that accepts no messages. */
export function channelNotice({ delivery, outcome, answer, at }: DeliveryAttempt): Delivery {
  const incident = `${prefix}${delivery.channel}`
  const what = outcome === 'givenUp' ? 'accepted no message for a day' : 'is broken'
  return {
    message: {
      ...delivery.message,
      id: randomUUID(),
      event: 'channelBroken',
      incident: { id: incident, openedAt: at, closedAt: null },
      title: `Channel ${delivery.channel} ${what}: ${answer}`,
      reminder: null,
      decidedAt: at,
      links: { incident: null, acknowledge: null },
    },
    channel: fallbackChannel,
    incident,
    notifiedAfter: neverNotified(incident, fallbackChannel),
    decidedAt: at,
  }
}
