/** The settings of a check for the managed channels that alert on it, in the words of clients of the API. */
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

/** Whether a managed channel alerts on a check. */
export function isSubscribed(check: WithAlertFields, channel: number): boolean {
  return subscriptionsOf(check).some(({ alertChannelId, activated }) => activated && alertChannelId === channel)
}
