import { expect, test } from 'vitest'
import { httpServer } from '../../../test/support/servers.ts'
import { checkTypes } from '../../checks/registry.ts'
import { unknownCheckExit } from '../context.ts'
import { findServerCheck } from './server-check.ts'

const [checkType] = checkTypes
const listed = (id: string, name: string, type = checkType?.type) => ({ id, name, checkType: type })
const checks = [
  listed('shop', 'Shop'),
  listed('twin-1', 'Twin'),
  listed('twin-2', 'Twin'),
  listed('cart', 'Twin cart'),
  listed('new', 'New', 'OF_A_LATER_VERSION'),
  ...Array.from({ length: 250 }, (_, i) => listed(`page-${i}`, `Page ${i}`)),
  ...['page', 'double-1', 'double-2'].map((id) => listed(id, id === 'page' ? 'Page' : 'Page 2')),
]

async function find(idOrName: string) {
  const port = await httpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://server')
    const found = checks.find(({ id }) => pathname === `/v1/checks/${id}`)
    if (found) response.end(JSON.stringify(found))
    else if (pathname !== '/v1/checks') response.writeHead(404).end('{"code": "CHECK_NOT_FOUND", "message": "None."}')
    else {
      const [limit, page] = [Number(searchParams.get('limit')), Number(searchParams.get('page') ?? 1)]
      const matching = checks.filter(({ name }) => name.includes(searchParams.get('search') ?? ''))
      response.end(JSON.stringify(matching.slice(limit * (page - 1), limit * page)))
    }
  })
  return findServerCheck({ url: new URL(`http://127.0.0.1:${port}/`), key: 'k', account: 'acme' }, idOrName)
}

test('a check is found by its id and by its full name', async () => {
  expect(await find('shop')).toEqual({ id: 'shop', name: 'Shop', checkType })
  expect(await find('Shop')).toEqual({ id: 'shop', name: 'Shop', checkType })
  expect(await find('Twin cart')).toEqual({ id: 'cart', name: 'Twin cart', checkType })
})

test('an ambiguous or partial name is rejected with candidates', async () => {
  const all = '  twin-1  Twin\n  twin-2  Twin\n  cart  Twin cart'
  await expect(find('Twin')).rejects.toMatchObject({
    message: `Several checks are named Twin. Use the id of one:\n${all}`,
    exitCode: unknownCheckExit,
  })
  await expect(find('Sho')).rejects.toThrow('No check has the id or name Sho, but these contain it. Use the id of one:\n  shop  Shop')
  await expect(find('none')).rejects.toThrow('Account acme has no check with the id or name none.')
})

test('a check is found by its name even if more than a page of names contain it', async () => {
  expect(await find('Page')).toEqual({ id: 'page', name: 'Page', checkType })
  const all = '  page-2  Page 2\n  double-1  Page 2\n  double-2  Page 2\n  page-20  Page 20'
  await expect(find('Page 2')).rejects.toThrow(`Several checks are named Page 2. Use the id of one:\n${all}\n`)
})

test('a check of an unknown type asks for an update of tidemark', async () => {
  await expect(find('new')).rejects.toThrow('This version of tidemark does not support the check type OF_A_LATER_VERSION.')
})
