import type { FastifyReply, FastifyRequest } from 'fastify'
import { paging } from '../../analytics/plan.ts'

export const rangeHeaders = {
  'Content-Range': 'First and last item of the page, and the total: 0-9/23',
  Link: 'The next and the last page.',
}

type Range = { readonly page: number; readonly limit: number; readonly shown: number; readonly total: number; readonly basePath: string }

type Paged = Pick<Range, 'page' | 'limit' | 'basePath'> & { readonly request: FastifyRequest; readonly reply: FastifyReply }

export function pageWithRange<T>(all: readonly T[], { request, reply, ...paged }: Paged): readonly T[] {
  const { offset, limit } = paging(paged)
  const page = all.slice(offset, offset + limit)
  setRangeHeaders(request, reply, { ...paged, shown: page.length, total: all.length })
  return page
}

export function setRangeHeaders(request: FastifyRequest, reply: FastifyReply, { page, limit, shown, total, basePath }: Range): void {
  const first = (page - 1) * limit
  reply.header('content-range', shown === 0 ? `*/${total}` : `${first}-${first + shown - 1}/${total}`)
  const lastPage = Math.ceil(total / limit)
  if (lastPage === 0) return
  const last = `<${basePath}${withPage(request, lastPage)}>; rel="last"`
  reply.header('link', page < lastPage ? `<${basePath}${withPage(request, page + 1)}>; rel="next", ${last}` : last)
}

function withPage({ url }: FastifyRequest, page: number): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  searchParams.set('page', String(page))
  return `${pathname}?${searchParams}`
}
