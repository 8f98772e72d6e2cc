import type { ChannelType } from './channel.ts'

/** The types of channels, in the order in which they are listed. */
export const channelTypes: readonly ChannelType[] = []
