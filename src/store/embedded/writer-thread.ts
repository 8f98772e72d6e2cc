import { workerData } from 'piscina'
import { openWriter } from './writer.ts'

const writer = openWriter(workerData.directory)

export const append = ([parcels]: Parameters<typeof writer.append>) => writer.append(parcels)
export const lastPacket = () => writer.lastPacket()
export const sealSome = ([order]: Parameters<typeof writer.sealSome>) => writer.sealSome(order)
export const dropOne = ([firstDay]: Parameters<typeof writer.dropOne>) => writer.dropOne(firstDay)
export const acquaint = ([checks, now]: Parameters<typeof writer.acquaint>) => writer.acquaint(checks, now)
export const latest = () => writer.latest()
export const close = () => writer.close()
