// @slow ci
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { newAgent } from '../support/agent-world.ts'
import { account, readKey, testCheck } from '../support/catalogue.ts'
import { testResult } from '../support/results.ts'
import {
  copied,
  eventually,
  expectAccessible,
  expectAccessibleInLooks,
  expectQuiet,
  inSteps,
  narrow,
  openReader,
  type Reader,
  show,
  stopAtFailure,
  wide,
} from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const json = checkTypes.find(({ settings }) => JSON.stringify(settings).includes('jsonBody'))
if (json === undefined) throw new Error('There is a type that asserts values of JSON.')
const pinged = checkTypes.find(({ pingSettings }) => pingSettings)
const scripted = checkTypes.find(({ settings }) => 'inlineScript' in settings.properties)

let site: Server
let address: string
beforeAll(async () => {
  site = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{"state":"up","items":[{"id":7}]}'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/health`
})
afterAll(() => site?.close())

const openServer = (more = {}) => startPageServer({ checks: [], days: 0, scopes: ['read', 'write'], managed: true, ...more })

/** Calls the API with the reader's key. */
async function call(server: PageServer, path: string, method = 'GET', body?: object) {
  const headers = { authorization: `Bearer ${readKey}`, 'x-service-account': account, 'content-type': 'application/json' }
  const response = await fetch(server.origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await response.json()) as { readonly length: number; readonly id: number; readonly definition: Readonly<Record<string, unknown>> }
}

describe('the form of a check', inSteps, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  let id = ''
  stopAtFailure()
  beforeAll(async () => {
    server = await openServer()
    reader = await openReader(`${server.origin}/new`, wide)
    page = reader.page
  })
  afterAll(() => server?.close())

  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('for a new check shows faults at their fields, and links to them', async () => {
    await page.getByLabel('Type of check').selectOption({ label: json.label })
    await button('Open form').click()
    await page.getByLabel('Name (required)', { exact: true }).fill('Shop')
    await button('Add check').click()
    const link = page.locator('.fault-summary a')
    await eventually(() => link.textContent()).toContain('request.url is missing')
    await expectAccessibleInLooks(page)
    await link.click()
    const url = page.getByLabel('URL (required)', { exact: true })
    expect(await url.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true)
    expect(await url.getAttribute('aria-invalid')).toBe('true')
    await url.fill('gopher://old.example')
    await eventually(() => page.locator('.field-fault').allTextContents()).toEqual([expect.stringContaining('http')])
  })

  test('keeps unsaved changes while other views are open', async () => {
    await page.getByLabel('URL (required)', { exact: true }).fill(address)
    await show(page, '/')
    await show(page, `/new?type=${json.type}`)
    await page.getByText('These settings are not saved yet.').waitFor()
    expect(await page.getByLabel('URL (required)', { exact: true }).inputValue()).toBe(address)
  })

  test('runs a check before it is saved, and adds assertions from clicks on the response', async () => {
    await button('Run now').click()
    await button('Assert status 200').click()
    await button('Assert $.items[0].id = 7').click()
    await button('Assert content-type: application/json').click()
    await button('Run now').click()
    await eventually(() => page.locator('[data-panel="attempt-1"] tbody tr').count()).toBe(3)
    expect(await page.locator('[data-panel="attempt-1"]').textContent()).toContain('$.items[0].id equals 7')
    await expectAccessibleInLooks(page)
  })

  test('shows the check as YAML, and adds it', async () => {
    await page.getByText('As YAML').click()
    await eventually(() => page.locator('.copyable pre').textContent()).toContain('property: $.items[0].id')
    expect(await copied(page, 'For checks: in the config file')).toContain('- type: ')
    await button('Add check').click()
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Shop')
    id = new URL(page.url()).pathname.split('/')[2] ?? ''
    const { definition } = await call(server, `/v1/checks/${id}/definition`)
    expect(definition).toMatchObject({ name: 'Shop', request: { url: address, assertions: [{ target: 200 }, { target: 7 }, {}] } })
  })

  test('for an existing check shows its last run next to it, and saves changes', async () => {
    await server.store.append([testResult(testCheck(json, { id }), Date.now(), { hasFailures: true, error: 'status 503' })])
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('heading', { name: /^Its last run/ }).waitFor()
    expect(await page.locator('[data-panel="reason"]').textContent()).toContain('status 503')
    await page.getByLabel('Tags', { exact: true }).fill('shop, web')
    await page.getByLabel('Frequency (required)', { exact: true }).fill('5m')
    const faster = page.getByLabel('Frequency when failing', { exact: true })
    if (!(await faster.isVisible())) await page.locator('summary', { hasText: 'frequency when failing' }).click()
    await faster.fill('20s')
    const typed = [
      ['statusCode', 'oneOf', '', '200-204, 301'],
      ['jsonBody', 'equals', '$.items.length', '1'],
      ['headers', 'matches', 'content-type', '^application/'],
      ['certificateDays', 'greaterThan', '', '14'],
    ] as const
    for (const [index, [source, comparison, property, target]] of typed.entries()) {
      await button('Add to assertions').click()
      const part = (name: string) => page.getByLabel(`Assertions ${index + 4}, ${name}`, { exact: true })
      await part('source').selectOption(source)
      await part('comparison').selectOption(comparison)
      if (property !== '') await part('property').fill(property)
      await part('target').fill(target)
    }
    await button('Save').click()
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Shop')
    expect((await call(server, `/v1/checks/${id}/definition`)).definition).toMatchObject({
      frequency: '5m',
      frequencyWhenFailing: '20s',
      tags: ['shop', 'web'],
      request: {
        assertions: [
          {},
          {},
          {},
          { source: 'statusCode', comparison: 'oneOf', target: ['200-204', 301] },
          { source: 'jsonBody', comparison: 'equals', property: '$.items.length', target: 1 },
          { source: 'headers', comparison: 'matches', property: 'content-type', target: '^application/' },
          { source: 'certificateDays', comparison: 'greaterThan', target: 14 },
        ],
      },
    })
  })

  test('can add variables to a check without any', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    const add = button('Add to names and values')
    await page.getByLabel('Name (required)', { exact: true }).waitFor()
    if (!(await add.isVisible())) await page.locator('summary', { hasText: 'variables' }).click()
    await add.click()
    await page.getByLabel('Names and values, name 1', { exact: true }).fill('PLACE')
    await page.getByLabel('Names and values, value 1', { exact: true }).fill('berlin')
    await button('Save').click()
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Shop')
    expect((await call(server, `/v1/checks/${id}/definition`)).definition).toMatchObject({
      variables: { environment: { PLACE: 'berlin' } },
    })
  })

  test('reports a conflicting change by someone else, and shows it', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Name (required)', { exact: true }).fill('Mine')
    const { definition } = await call(server, `/v1/checks/${id}/definition`)
    await call(server, `/v1/checks/${id}`, 'PUT', { definition: { ...definition, frequency: '10m' } })
    await button('Save').click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Someone saved this check' })
    await eventually(() => conflict.textContent()).toContain('frequency5m10m')
    await expectAccessible(conflict)
    await button('Discard mine, show the newer one').click()
    await eventually(() => page.getByLabel('Frequency (required)', { exact: true }).inputValue()).toBe('10m')
    expect(await page.getByLabel('Name (required)', { exact: true }).inputValue()).toBe('Shop')
    expect(await button('Save').isDisabled()).toBe(true)
  })

  test('can overwrite a conflicting change', async () => {
    await page.getByLabel('Name (required)', { exact: true }).fill('Mine')
    const { definition } = await call(server, `/v1/checks/${id}/definition`)
    await call(server, `/v1/checks/${id}`, 'PUT', { definition: { ...definition, frequency: '15m' } })
    await button('Save').click()
    await button('Overwrite with mine').click()
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Mine')
    expect((await call(server, `/v1/checks/${id}/definition`)).definition).toMatchObject({ name: 'Mine', frequency: '10m' })
  })

  test('for a copy is filled with everything except the id', async () => {
    await show(page, `/new?copy=${id}`)
    await eventually(() => page.getByLabel('Name (required)', { exact: true }).inputValue()).toBe('Mine (copy)')
    expect(await page.getByLabel('URL (required)', { exact: true }).inputValue()).toBe(address)
    await button('Add check').click()
    await eventually(async () => (await call(server, '/v1/checks')).length).toBe(2)
  })

  test('for a job requires its schedule', async () => {
    await show(page, `/new?type=${pinged?.type}`)
    for (const name of ['Period', 'Schedule', 'Timezone', 'Grace']) await page.getByLabel(name, { exact: true }).waitFor()
  })

  test('logs no errors', () => {
    const expected = reader.consoleErrors.filter((text) => !/status of (400|412)/.test(text))
    expectQuiet({ ...reader, consoleErrors: expected }, server.origin)
  })
})

describe('the location of a check', inSteps, () => {
  const agents = { key: 'tdm_agents00_eu', location: 'eu' }

  test('can be tested before saving, by an agent there', async () => {
    const server = await openServer({ agents })
    onTestFinished(() => server.close())
    await newAgent({ url: () => server.origin }, agents)
    await eventually(() => call(server, '/v1/locations')).toMatchObject([{ location: 'eu', agents: [{ state: 'live' }] }])
    const { page } = await openReader(`${server.origin}/new?type=${json.type}`, narrow)
    await page.getByLabel('Name (required)', { exact: true }).fill('Shop')
    await page.getByLabel('URL (required)', { exact: true }).fill(address)
    await page.getByLabel('Run location').selectOption('at eu')
    await page.getByRole('button', { name: 'Run now' }).click()
    await eventually(() => page.locator('.run-title').textContent()).toContain('passed')
    await eventually(() => page.locator('.tile').first().textContent()).toBe('Locationeu')
    expect((await call(server, '/v1/checks')).length).toBe(0)
    await expectAccessible(page)
  })
})

describe('a check of a group', inSteps, () => {
  test('shows inherited settings in its form and in its view', async () => {
    const server = await openServer()
    onTestFinished(() => server.close())
    const defaults = { frequency: '5m', tags: ['shop'], locations: ['eu'], retry: { strategy: 'fixed', maxRetries: 2 } }
    await call(server, '/v1/check-groups', 'POST', { definition: { name: 'The shop', defaults } })
    const { page } = await openReader(`${server.origin}/new?type=${json.type}`)
    await page.getByLabel('Name (required)', { exact: true }).fill('Cart')
    await page.getByLabel('URL (required)', { exact: true }).fill(address)
    await page.getByLabel('Frequency (required)', { exact: true }).fill('')
    await page.getByLabel('Group', { exact: true }).selectOption('The shop')
    const frequency = page.getByLabel('Frequency', { exact: true })
    expect(await frequency.getAttribute('aria-describedby')).toContain('field-frequency-inherited')
    expect(await page.locator('[id="field-frequency-inherited"]').textContent()).toBe('From the group The shop: 5m')
    expect(await page.locator('[id="field-retry-inherited"]').textContent()).toContain('strategy fixed, max retries 2')
    await expectAccessibleInLooks(page)
    await page.getByRole('button', { name: 'Add check' }).click()
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Cart')
    expect(await page.locator('.check-facts').textContent()).toMatch(/every 5 min.*eu/)
    expect(await page.locator('.view-head .tag').allTextContents()).toEqual(['shop'])
  })
})

describe('the editor of a script', inSteps, () => {
  let server: PageServer
  let page: Page
  stopAtFailure()
  beforeAll(async () => {
    server = await openServer()
    page = (await openReader(`${server.origin}/new?type=${scripted?.type}`, narrow)).page
  })
  afterAll(() => server?.close())

  test('indents with Tab, and can be left with Tab after Escape', async () => {
    const code = page.getByLabel('Inline script', { exact: true })
    await code.focus()
    await page.keyboard.type('test')
    await page.keyboard.press('Tab')
    await page.keyboard.type('x')
    expect(await code.inputValue()).toBe('test  x')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await code.evaluate((area) => area === area.ownerDocument.activeElement)).toBe(false)
    expect(await code.inputValue()).toBe('test  x')
  })

  test('shows at its field that code is not accepted', async () => {
    await eventually(() => page.locator('[id="field-inlineScript-help"]').textContent()).toContain('allowUploadedCode: true')
    await page.getByLabel('Name (required)', { exact: true }).fill('Shop')
    await eventually(() => page.locator('.field-fault').allTextContents()).toEqual([expect.stringContaining('allowUploadedCode: true')])
    await expectAccessible(page)
  })
})

describe('the page with a read-only key', inSteps, () => {
  test('shows a message instead of the form, and no buttons that change checks', async () => {
    const server = await startPageServer({ days: 0 })
    try {
      const [check] = server.checks
      const { page } = await openReader(`${server.origin}/new`)
      await page.getByText('Your key cannot change checks.').waitFor()
      await show(page, `/checks/${check?.id}/edit`)
      await page.getByText('This check is defined in the config file').waitFor()
      await show(page, `/checks/${check?.id}`)
      await page.getByRole('button', { name: 'Commands' }).waitFor()
      expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
      await expectAccessible(page.locator('.view-head'))
    } finally {
      await server.close()
    }
  })
})
