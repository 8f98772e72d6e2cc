// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { checkKind, documentText } from '../../src/managed/managed-document.ts'
import { account, readKey } from '../support/catalogue.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import {
  eventually,
  expectAccessibleInLooks,
  expectQuiet,
  inSteps,
  openReader,
  type Reader,
  settled,
  show,
  stopAtFailure,
} from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const checkType = anyRunType()
const definition = (more: object) => ({ ...exampleCheck(checkType), tags: ['web'], ...more })

async function add(server: PageServer, more: object): Promise<void> {
  const { status } = await fetch(`${server.origin}/v1/checks/${wirePath(checkType)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${readKey}`, 'x-service-account': account, 'content-type': 'application/json' },
    body: JSON.stringify({ definition: definition(more) }),
  })
  expect(status).toBe(201)
}

describe('the page with a key that may write', inSteps, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  stopAtFailure()
  beforeAll(async () => {
    server = await startPageServer({ days: 1, scopes: ['read', 'write'], managed: true })
    await add(server, { id: 'shop', name: 'The shop' })
    await add(server, { id: 'checkout', name: 'The checkout', dependsOn: ['shop'] })
    reader = await openReader(`${server.origin}/checks/shop`)
    page = reader.page
  })
  afterAll(() => server?.close())

  const button = (name: string | RegExp, exact = true) => page.getByRole('button', { name, exact })
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()

  test('shows no controls for changes while its scopes cannot be loaded', async () => {
    const { page: other } = await openReader(server.origin)
    const offered = () => other.getByRole('link', { name: 'New check' }).count()
    await eventually(offered).toBe(1)
    await other.route('**/next/users/me', (route) => route.fulfill({ status: 500, json: { message: 'It broke.' } }))
    await other.reload()
    await other.getByRole('heading', { name: 'Checks', level: 1 }).waitFor()
    await settled(other)
    expect(await offered()).toBe(0)
    await show(other, '/new')
    await other.getByText('Your key cannot change checks.').waitFor()
    await other.close()
  })

  test('can pause and mute a check', async () => {
    await button('Pause').click()
    await button('Resume').waitFor()
    await eventually(() => page.locator('.view-head .state').textContent()).toContain('paused')
    await button('Mute').click()
    await button('Unmute').waitFor()
    expect(await page.getByRole('link', { name: 'Edit' }).getAttribute('href')).toContain('/checks/shop/edit')
    expect(await page.getByRole('link', { name: 'Duplicate' }).getAttribute('href')).toContain('/new?copy=shop')
    await expectAccessibleInLooks(page.locator('.view-head'))
  })

  test('shows who changed what, and can undo it', async () => {
    await page.getByRole('link', { name: 'History' }).click()
    await eventually(heading).toBe('History of The shop')
    await eventually(() => page.locator('.versions > li').count()).toBe(3)
    expect(await page.locator('.versions > li').first().textContent()).toMatch(/Version 3.*muted by/)
    await button('Undo …').click()
    await eventually(() => page.locator('.restore .changes').textContent()).toContain('muted')
    await expectAccessibleInLooks(page)
    await button('Restore version 2').click()
    await eventually(() => page.locator('.versions > li').count()).toBe(4)
    await button('Compare version 1 with now').click()
    await eventually(() => page.locator('.restore .changes').textContent()).toContain('activated')
    await button('Restore version 1').click()
    await eventually(() => page.locator('.versions > li').count()).toBe(5)
  })

  test('can delete a check, and restore it from the list of deleted checks', async () => {
    await show(page, '/checks/checkout')
    await button('Delete').click()
    await eventually(heading).toBe('Deleted checks')
    await eventually(() => page.locator('[data-panel="deleted"]').textContent()).toContain('The checkout')
    await expectAccessibleInLooks(page)
    await button('Undo: restore The checkout').click()
    await eventually(heading).toBe('The checkout')
  })

  test('shows why a check that another one depends on cannot be deleted', async () => {
    await show(page, '/checks/shop')
    await button('Delete').click()
    await eventually(() => page.getByRole('alert').textContent()).toContain('check checkout')
  })

  test('can change checks that are selected in the list', async () => {
    await show(page, '/?tag=web')
    await button('Select').click()
    await page.getByLabel('Select The shop').check()
    await page.getByLabel('Select The checkout').check()
    await button('Mute').click()
    await eventually(() => page.locator('.selection [role=status]').textContent()).toBe('2 checks changed.')
    await eventually(() => page.locator('.checks .chip', { hasText: 'muted' }).count()).toBe(2)
    await page.getByLabel('Tag', { exact: true }).last().fill('critical')
    await button('Add tag').click()
    await eventually(() => page.locator('.checks .tag', { hasText: 'critical' }).count()).toBe(2)
    await expectAccessibleInLooks(page)
    await button('Delete').click()
    await eventually(heading).toBe('Deleted checks')
    await button('Restore all 2').click()
    await eventually(() => page.getByText('No checks deleted').count()).toBe(1)
  })

  test('shows every write in the audit log', async () => {
    await page.getByRole('link', { name: 'Audit' }).click()
    await eventually(() => page.locator('[data-panel="audit"] li').count()).toBeGreaterThan(9)
    await expectAccessibleInLooks(page)
    await page.getByLabel('What').selectOption('Deleted')
    await eventually(() => page.locator('[data-panel="audit"] > ul > li').count()).toBe(3)
    await page.getByRole('link', { name: 'Only this: writes of The shop' }).first().click()
    await eventually(() => page.locator('[data-panel="audit"] > ul > li').count()).toBe(1)
  })

  test('shows a check that is stored but not run, with the reason', async () => {
    const body = documentText({ definition: definition({ id: 'broken', name: 'Broken one', tags: [`$\{SHUT}`] }), createdAt: Date.now() })
    const change = { kind: checkKind, account, id: 'broken', expected: 0, action: 'create', changes: '[]', body }
    await server.documents.write([change], { keyId: 'k', keyName: 'k' })
    await page.goto(server.origin)
    await eventually(() => page.locator('[data-panel="faulty"]').textContent()).toContain('managedVariables')
    await settled(page)
    await expectAccessibleInLooks(page.locator('[data-panel="faulty"]'))
    await page.getByRole('link', { name: 'Broken one' }).click()
    await eventually(() => page.locator('[data-panel="faults"]').textContent()).toContain('/tags/0')
    expect(await heading()).toBe('Broken one')
    await expectAccessibleInLooks(page)
    await button('Pause').click()
    await eventually(() => button('Pause').count()).toBe(0)
  })

  test('can fix it in its form, which shows the faults at their fields', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    const tags = page.getByLabel('Tags', { exact: true })
    await eventually(() => tags.inputValue()).toBe(`$\{SHUT}`)
    expect(await tags.getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('.fault-summary a').first().textContent()).toContain('managedVariables')
    await expectAccessibleInLooks(page.locator('.fault-summary'))
    await tags.fill('mended')
    await button('Save').click()
    await eventually(heading).toBe('Broken one')
    await eventually(() => page.locator('.view-head .tag').allTextContents()).toEqual(['mended'])
  })

  test('shows that someone else deleted the current check', async () => {
    await add(server, { id: 'gone', name: 'Soon gone' })
    await show(page, '/checks/gone')
    await eventually(heading).toBe('Soon gone')
    const headers = { authorization: `Bearer ${readKey}`, 'x-service-account': account }
    expect((await fetch(`${server.origin}/v1/checks/gone`, { method: 'DELETE', headers })).status).toBe(204)
    for (const state of ['hidden', 'visible'])
      await page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await eventually(heading).toBe('There is no such check in this account.')
    await page.getByRole('link', { name: 'checks deleted in the last hour' }).waitFor()
    expect(await button('Pause').count()).toBe(0)
  })

  test('shows where a check of the config file is defined', async () => {
    await show(page, `/checks/${server.checks[0]?.id}`)
    await eventually(() => page.locator('.file-note').textContent()).toContain('Defined in tidemark.yaml:12')
    for (const name of ['Pause', 'Mute', 'Delete']) expect(await button(name).count()).toBe(0)
  })

  test('causes no errors', () => {
    const expected = /status of (404|409)/
    expectQuiet({ ...reader, consoleErrors: reader.consoleErrors.filter((text) => !expected.test(text)) }, server.origin)
  })
})

describe('the page with a read-only key', inSteps, () => {
  let server: PageServer
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ days: 1, managed: true })
    const body = documentText({ definition: definition({ id: 'shop', name: 'The shop' }), createdAt: Date.now() })
    const change = { kind: checkKind, account, id: 'shop', expected: 0, action: 'create', changes: '[]', body }
    await server.documents.write([change], { keyId: 'k', keyName: 'deploy' })
    page = (await openReader(`${server.origin}/checks/shop`)).page
  })
  afterAll(() => server?.close())

  test('shows the history of a check, and no controls that change it', async () => {
    await page.getByRole('link', { name: 'History' }).waitFor()
    expect(await page.getByRole('button', { name: /Pause|Mute|Delete/ }).count()).toBe(0)
    expect(await page.getByRole('link', { name: /Edit|Duplicate/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'History' }).click()
    await eventually(() => page.locator('.versions > li').textContent()).toContain('added by deploy')
    expect(await page.locator('.restore').count()).toBe(0)
    await show(page, '/')
    await settled(page)
    expect(await page.getByRole('button', { name: 'Select', exact: true }).count()).toBe(0)
  })
})
