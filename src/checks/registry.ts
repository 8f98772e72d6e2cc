import { api } from './api/index.ts'
import { browser } from './browser/index.ts'
import type { CheckType } from './define.ts'
import { dns } from './dns/index.ts'
import { heartbeat } from './heartbeat/index.ts'
import { icmp } from './icmp/index.ts'
import { multistep } from './multistep/index.ts'
import { playwright } from './playwright/index.ts'
import { tcp } from './tcp/index.ts'
import { url } from './url/index.ts'

/** All check types. A new one is a folder and a line here. */
export const checkTypes: readonly CheckType[] = [api, url, browser, multistep, playwright, tcp, dns, icmp, heartbeat]
