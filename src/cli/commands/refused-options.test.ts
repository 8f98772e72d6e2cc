import { expect, test } from 'vitest'
import { command, configuredFolder, tidemark } from '../../../test/support/command.ts'
import { checkTypes } from '../../checks/registry.ts'

const remote = { TIDEMARK_KEY: 'k', TIDEMARK_ACCOUNT: 'acme', TIDEMARK_URL: 'http://127.0.0.1:9' }
const agent = ['agent', '--key-file', 'none', '--location', 'eu', '--server']
const sla = ['sla', '--month', '2026-10']

/** Options are rejected before anything is requested or read. */
test.each([
  [['slo', '--fail-if-burning', '0'], 'It must be a number above 0, such as 2 or 14.4.'],
  [['slo', '--fail-if-burning', '0.0'], 'It must be a number above 0'],
  [['slo', '--fail-if-burning', '-1'], 'It must be a number above 0'],
  [['slo', '--fail-if-burning', '1e3'], 'It must be a number above 0'],
  [['slo', '--by', 'days'], 'Allowed choices are runs, time.'],
  [['slo', 'a b'], 'Unknown SLO a b. List them with: tidemark slo.'],
  [[...sla, '--quorum', '0'], 'It must be a number from 1, or majority.'],
  [[...sla, '--quorum', '10000'], 'It must be a number from 1, or majority.'],
  [[...sla, '--quorum', 'most'], 'It must be a number from 1, or majority.'],
  [[...sla, '--min-outage', '5'], 'It must be whole seconds as a duration, such as 90s or 5m.'],
  [[...sla, '--min-outage', '1500ms'], 'It must be whole seconds as a duration'],
  [[...sla, '--degraded', 'no'], 'Allowed choices are up, down.'],
  [[...sla, '--maintenance', 'no'], 'Allowed choices are exclude, include.'],
  [[...sla, '--out', 'october.pdf'], 'october.pdf has no known extension: use .html, .csv or .json, or --format.'],
  [[...sla, '--out', 'october'], 'october has no known extension'],
  [[...agent, 'ftp://example.com'], 'It must be a URL such as https://tidemark.example.com.'],
  [[...agent, 'example.com/https://'], 'It must be a URL such as https://tidemark.example.com.'],
  [[...agent, 'https://'], 'It must be a URL such as https://tidemark.example.com.'],
  [[...agent, 'https://a.example', '--name', ''], 'It must have 1 to 128 characters in one line.'],
  [[...agent, 'https://a.example', '--name', 'a\nb'], 'It must have 1 to 128 characters in one line.'],
  [[...agent, 'https://a.example', '--concurrency', '0'], 'It must be a number from 1 to 9999.'],
  [[...agent, 'https://a.example', '--concurrency', '10000'], 'It must be a number from 1 to 9999.'],
  [[...agent, 'https://a.example', '--concurrency', '2.5'], 'It must be a number from 1 to 9999.'],
  [['export', '--check', 'a', '--all'], 'Choose one check with --check, or all of them with --all.'],
  [['export'], 'Choose one check with --check, or all of them with --all.'],
  [['export', '--check', 'a', '--all', '--format', 'openmetrics'], 'Choose one check with --check, or all of them with --all.'],
  [['export', '--all', '--format', 'csv'], 'CSV supports only one check: leave out --format csv, or choose one with --check.'],
  [['config', 'adopt'], 'Choose checks with --checks, or use --all.'],
  [['config', 'adopt', '--all', '--checks', 'a'], 'Choose checks with --checks, or use --all.'],
  [['link', 'create', '--path', '/v1/slos', '--expires', '59s'], 'It must be a duration from 1m to 366d, such as 90d.'],
  [
    ['link', 'create', '--path', '/v1/check-results/stream', '--expires', '1d'],
    'A link answers one question, and a stream has no end: open it with a key.',
  ],
  [['link', 'create', '--path', '/v1/slos', '--expires', '1d', '--body', '{}'], '/v1/slos requires GET: leave out --body.'],
  [['maintenance', 'add', 'M', '--for', '2'], 'It must be a duration such as 45m, 2h or 1d.'],
  [['maintenance', 'add', 'M', '--for', '2h', '--from', 'now'], 'It must be a time such as 2026-11-20T22:00:00+01:00, or a date.'],
  [['maintenance', 'add', 'x'.repeat(201), '--for', '2h'], 'The name must have 1 to 200 characters.'],
  [['maintenance', 'add', ' ', '--for', '2h'], 'The name must have 1 to 200 characters.'],
  [['maintenance', 'add', 'M', '--for', '2h', '--from', '-1y'], 'It must be a time such as'],
  [['key', 'create', '--name', 'n'], 'Specify the account of the key: --account <id>.'],
  [['key', 'create', '--name', 'n', '--scopes', 'read,fly'], 'Give one or more of'],
  [['key', 'create', '--name', 'n', '--scopes', ''], 'Give one or more of'],
  [['key', 'create', '--name', 'n', '--scopes', 'read,agent:eu'], 'separated by commas, or agent:LOCATION alone.'],
  [['alert', 'silence', '--for', '1h'], 'Specify what to silence: --check, --tag or both; or --all alone.'],
  [['alert', 'silence', '--for', '1h', '--all', '--tag', 'web'], 'Specify what to silence: --check, --tag or both; or --all alone.'],
  [['alert', 'list', '--state', 'new'], 'Allowed choices are open, closed.'],
  [['completion', 'csh'], 'Allowed choices are bash, zsh, fish.'],
  [['serve', '--port', '70000'], 'It must be a port from 0 to 65535.'],
  [['serve', '--base-path', 'x'], 'It must be a path such as /tidemark.'],
  [['report', '--url', 'nowhere'], 'nowhere is not a URL such as http://127.0.0.1:8787.'],
  [['report', '--key', ''], 'An API key is required: use --key or set TIDEMARK_KEY. Create one with: tidemark key create.'],
  [['report', '--account', ''], 'An account is required: use --account or set TIDEMARK_ACCOUNT.'],
])('%j is rejected: %s', async (args, words) => {
  expect(await command(remote, args)).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(words) })
})

test.each([
  ['run', ['run', checkTypes.find(({ pingSettings }) => pingSettings)?.path ?? ''], /cannot be run: it waits for pings\.\n$/, 2],
  ['export', ['export', '--all'], /^No results in /, 1],
  ['doctor', ['doctor'], /^No results in /, 1],
  ['backup', ['backup', 'copy'], /^No results in /, 1],
])('%s reports why there is nothing to do', async (_, args, words, exitCode) => {
  expect(await tidemark(configuredFolder(), ...args)).toEqual({ exitCode, stdout: '', stderr: expect.stringMatching(words) })
})
