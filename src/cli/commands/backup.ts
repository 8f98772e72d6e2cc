import { Command } from 'commander'
import { backUpAlerts } from '../../alerts/outbox/alert-file.ts'
import { backUp } from '../../store/embedded/disk/backup.ts'
import type { Context } from '../context.ts'
import { failCommand, requireData } from '../data-folder.ts'
import { dataOption } from '../options.ts'

export function backupCommand(context: Context): Command {
  return new Command('backup')
    .description('Copy a snapshot of all results to a new folder. The server may keep running.')
    .argument('<folder>', 'the new data folder')
    .addOption(dataOption(context))
    .action(async (destination: string, { data }: { data: string }) => {
      requireData(data)
      await backUpAll(data, destination).catch(failCommand)
      context.stdout.write(`All results are in ${destination}. To restore: tidemark serve --data ${destination}\n`)
    })
}

/** Copies alerts after the results, so that every message refers to results in the backup. */
async function backUpAll(data: string, destination: string): Promise<void> {
  await backUp(data, destination)
  await backUpAlerts(data, destination)
}
