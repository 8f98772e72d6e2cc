import { expect, test } from 'vitest'
import { splitDeployBody } from './split-body.ts'

const split = (project: unknown) => splitDeployBody(Buffer.from(JSON.stringify({ project, resources: [] })), false)

test('a project has only its known properties', () => {
  const parts = split({ logicalId: 'shop', name: 'Shop', repoUrl: '', more: Array.from({ length: 1000 }, () => []) })
  expect(parts).toEqual({ project: { logicalId: 'shop', name: 'Shop', repoUrl: null }, files: [], resources: [] })
})

test.each([
  ['is none', null, 'project must be an object'],
  ['has no logicalId', { name: 'Shop' }, 'logicalId of the project'],
  ['has an odd logicalId', { logicalId: 'a b', name: 'Shop' }, 'logicalId of the project'],
  ['has a long name', { logicalId: 'shop', name: 'x'.repeat(256) }, 'name of the project'],
  ['has a repoUrl that is no text', { logicalId: 'shop', name: 'Shop', repoUrl: [] }, 'repoUrl of the project'],
])('a project that %s is rejected before anything is passed on', (_, project, problem) => {
  expect(split(project)).toEqual({ problem: expect.stringContaining(problem) })
})
