const tasks: (() => void)[] = []

/** Runs a task when the worker ends, after its last file. Files of a worker share modules, and so anything a module has started. */
export function atWorkerEnd(task: () => void): void {
  if (tasks.length === 0) process.once('SIGTERM', endWorker)
  tasks.push(task)
}

/** The runner ends its workers with this signal. */
function endWorker(): void {
  for (const task of tasks) task()
  process.kill(process.pid, 'SIGTERM')
}
