import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import { account } from './catalogue.ts'

export const deployKey = 'tdm_testwrit_00000000000000000000000000000000_000000'
export const deployHeaders = { authorization: `Bearer ${deployKey}`, 'x-service-account': account }

type Payload = Readonly<Record<string, unknown>>
type Change = { readonly logicalId: string; readonly physicalId: string | number }

const recorded = JSON.parse(readFileSync(new URL('../fixtures/checkly-cli/deploy.json', import.meta.url), 'utf8'))

/** The recorded request of the CLI for a check of a project. */
export const recordedCheck = (logicalId: string): Payload =>
  recorded.resources.find((resource: { readonly logicalId: string }) => resource.logicalId === logicalId).payload

export const resource = (type: string, logicalId: string, payload: Payload) => ({ type, logicalId, member: true, payload })

export const deployTo = (app: TestApp, resources: readonly object[], query = '') =>
  app.call({
    method: 'POST',
    url: `/v1/projects/deploy?${query}`,
    headers: deployHeaders,
    payload: { project: { logicalId: 'shop', name: 'Shop' }, resources },
  })

/** Deploys resources, and returns their ids by logical id. */
export async function deployedTo(app: TestApp, resources: readonly object[]): Promise<Readonly<Record<string, string | number>>> {
  const { status, body, text } = await deployTo(app, resources)
  expect(status, text).toBe(200)
  return Object.fromEntries(body.result.diff.map(({ logicalId, physicalId }: Change) => [logicalId, physicalId]))
}
