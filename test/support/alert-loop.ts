import { pino } from 'pino'
import { channelTypes } from '../../src/alerts/channels/registry.ts'
import { type AlertLoopOptions, startAlerts } from '../../src/alerts/loop/alert-loop.ts'
import { testTransport } from './channels.ts'
import { temporaryFolder } from './temporary-folder.ts'

type Parts = Pick<AlertLoopOptions, 'store' | 'catalogue' | 'now'> & Partial<AlertLoopOptions>

/** Alerts in this thread, with a database in a temporary folder. */
export const openTestAlerts = ({ now, ...parts }: Parts) =>
  startAlerts({
    directory: temporaryFolder(),
    channelTypes,
    transport: testTransport({ now }),
    log: pino({ level: 'silent' }),
    publicUrl: () => 'https://tidemark.example',
    onConfigChange: () => () => {},
    measureBurn: async () => null,
    inline: true,
    now,
    ...parts,
  })
