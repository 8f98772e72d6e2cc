// @slow ci
import { expect, onTestFinished, test } from 'vitest'
import { openTestAlerts } from '../support/alert-loop.ts'
import { openTestApp } from '../support/app.ts'
import { account, readKey, service, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { closeReaders, expectAccessible, expectQuiet, inChromium, looks, openReader, show, styleOf } from './reader.ts'

test('the locations view shows who runs each location, and the state of its agents', inChromium, async () => {
  const keys = [testKey(readKey, account, ['read']), testKey('tdm_agent', account, ['agent:eu-west-1', 'agent:ap-south-1'])]
  const locations = ['eu-west-1', 'us-east-1', 'ap-south-1', 'sa-east-1']
  const checks = [testCheck(anyRunType(), { locations, agentLocations: ['eu-west-1', 'ap-south-1'] })]
  const { app, close } = await openTestApp({
    catalogue: testCatalogue({ keys, checks, service: () => ({ ...service, runnerLocations: ['us-east-1'] }) }),
    now: Date.now,
    alerts: openTestAlerts,
  })
  onTestFinished(() => closeReaders().then(close))
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const report = 'instance=4f2c0d3e-aaaa&session=1&version=0.2.0&backlog=7&agentDropped=3&clockOffsetMs=-250&stampsServerTime=true'
  const tell = (told: string) =>
    fetch(`${origin}/v1/agents/checks?protocol=1&location=eu-west-1&${told}`, { headers: { authorization: 'Bearer tdm_agent' } })

  for (const look of looks) {
    const reader = await openReader(origin, look)
    const { page } = reader
    await page.getByRole('heading', { name: 'Checks', level: 1 }).waitFor()
    await tell(report)
    await tell('instance=9b1c0d3e-bbbb&name=probe-1')
    await page.getByRole('link', { name: 'Locations' }).click()
    await page.getByRole('heading', { name: 'Locations', level: 1 }).waitFor()
    const rows = page.locator('tbody tr')
    await rows.first().waitFor()
    const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
    expect(texts[0]).toBe('ap-south-1 no agent 1')
    expect(texts[1]).toMatch(/^eu-west-1 live 4f2c0d3e \d+ s ago \d 7 3 -250 ms, corrected 0.2.0$/)
    expect(texts[2]).toMatch(/^eu-west-1 live probe-1 9b1c0d3e /)
    expect(texts[3]).toBe('sa-east-1 none 1')
    expect(texts[4]).toBe('us-east-1 the server 1')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'us-east-1' }).click()
    await page.getByRole('heading', { name: 'Checks', level: 1 }).waitFor()
    expect(await page.getByLabel('Location').inputValue()).toBe('us-east-1')
    expectQuiet(reader, origin)
  }
})

test('many locations are all shown without a scroll box, with a count, and those with agents first', inChromium, async () => {
  const keys = [testKey(readKey, account, ['read']), testKey('tdm_agent', account, ['agent:zz-last'])]
  const locations = [...Array.from({ length: 42 }, (_, i) => `place-${i}`), 'zz-last']
  const checks = [testCheck(anyRunType(), { locations, agentLocations: ['zz-last'] })]
  const { app, close } = await openTestApp({ catalogue: testCatalogue({ keys, checks }), now: Date.now, alerts: openTestAlerts })
  onTestFinished(() => closeReaders().then(close))
  const { page } = await openReader(`${await app.listen({ port: 0, host: '127.0.0.1' })}/locations`)
  await page.getByText('43 locations').waitFor()
  expect(await page.locator('tbody th').first().textContent()).toBe('zz-last')
  expect(await page.locator('thead th').allTextContents(), 'no column without anything to say').toEqual(['Location', 'Run by', 'Checks'])
  for (const part of ['thead th.number', 'tbody td.number']) expect(await styleOf(page.locator(part).first(), 'text-align')).toBe('right')
  expect(await page.locator('.rows-table').evaluate((table) => table.scrollHeight - table.clientHeight)).toBe(0)
})

test('a server that runs no checks is not shown as running them', inChromium, async () => {
  const checks = [testCheck(anyRunType(), { id: 'never', locations: ['eu'], createdAt: 0 })]
  const { app, close } = await openTestApp({
    catalogue: testCatalogue({ checks }),
    now: Date.now,
    alerts: openTestAlerts,
    runsHere: () => false,
  })
  onTestFinished(() => closeReaders().then(close))
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const { page } = await openReader(`${origin}/locations`)
  await page.locator('tbody').getByText('not this server').waitFor()
  await expectAccessible(page)
  await show(page, '/checks/never')
  await page.getByText('This server does not run the checks at eu.').waitFor()
  await page.getByText('--no-runner').waitFor()
})
