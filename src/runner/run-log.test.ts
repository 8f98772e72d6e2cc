import { expect, test } from 'vitest'
import { recordingLog } from '../../test/support/log.ts'
import { watchLocations } from './run-log.ts'

test('warns once about a configured location that no check has', () => {
  const log = recordingLog()
  const checkLocations = watchLocations(log, ['eu-west-1', 'eu-wset-1'])
  checkLocations([{ locations: ['eu-west-1', 'us-east-1'] }])
  checkLocations([{ locations: ['eu-west-1', 'us-east-1'] }])
  expect(log.entries).toEqual([
    {
      level: 'warn',
      fields: { location: 'eu-wset-1', known: ['eu-west-1', 'us-east-1'] },
      message: 'TIDEMARK_LOCATIONS has a location without checks.',
    },
  ])
})
