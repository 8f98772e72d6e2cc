import { alertmanager } from './alertmanager/index.ts'
import { apprise } from './apprise/index.ts'
import type { ChannelType } from './channel.ts'
import { discord } from './discord/index.ts'
import { email } from './email/index.ts'
import { gotify } from './gotify/index.ts'
import { matrix } from './matrix/index.ts'
import { ntfy } from './ntfy/index.ts'
import { pagerduty } from './pagerduty/index.ts'
import { pushover } from './pushover/index.ts'
import { slack } from './slack/index.ts'
import { teams } from './teams/index.ts'
import { telegram } from './telegram/index.ts'
import { webhook } from './webhook/index.ts'

/** All types of channels. A new one is a folder and a line here. */
export const channelTypes: readonly ChannelType[] = [
  webhook,
  email,
  slack,
  discord,
  telegram,
  ntfy,
  pagerduty,
  alertmanager,
  teams,
  matrix,
  gotify,
  pushover,
  apprise,
]
