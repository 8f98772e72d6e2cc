import type { Delivery } from '../decide/model.ts'

/** Messages about a channel belong to no incident; in its place they name the channel. */
const prefix = 'channel:'

export const aboutChannel = (channel: string): string => `${prefix}${channel}`

export const isAboutChannel = ({ incident }: Pick<Delivery, 'incident'>): boolean => incident.startsWith(prefix)
