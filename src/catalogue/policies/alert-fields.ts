/** Settings of a check for its managed alert channels, with the field names of the API. */
export type AlertFields = {
  readonly alertChannelSubscriptions?: readonly ChannelSubscription[]
  readonly useGlobalAlertSettings?: boolean
  readonly alertSettings?: {
    readonly escalationType: 'RUN_BASED' | 'TIME_BASED'
    readonly runBasedEscalation: { readonly failedRunThreshold: number }
    readonly timeBasedEscalation: { readonly minutesFailingThreshold: number }
    readonly reminders: { readonly amount: number; readonly interval: number }
    readonly parallelRunFailureThreshold: { readonly enabled: boolean; readonly percentage: number }
  }
}

type ChannelSubscription = { readonly alertChannelId: number; readonly activated: boolean }

export type WithAlertFields = { readonly clientFields?: AlertFields }

export function subscriptionsOf({ clientFields }: WithAlertFields): readonly ChannelSubscription[] {
  return clientFields?.alertChannelSubscriptions ?? []
}

/** Whether a check has an active subscription to a managed channel. */
export function isSubscribed(check: WithAlertFields, channel: number): boolean {
  return subscriptionsOf(check).some(({ alertChannelId, activated }) => activated && alertChannelId === channel)
}
