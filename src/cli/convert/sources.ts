import { blackbox } from './blackbox/index.ts'
import { checkly } from './checkly/index.ts'
import { gatus } from './gatus/index.ts'
import { healthchecks } from './healthchecks/index.ts'
import { kuma } from './kuma/index.ts'
import type { ConvertSource } from './source.ts'

/** All tools that can be converted from. A new one is a folder and a line here. */
export const convertSources: readonly ConvertSource[] = [kuma, gatus, blackbox, healthchecks, checkly]
