// Preloaded in every supervised process: ends it once the supervisor has exited, to free ports and connections.

const forcedExitMs = 10_000

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), forcedExitMs).unref()
  process.kill(process.pid, 'SIGTERM')
})
// The IPC channel alone must not keep the process alive.
process.channel?.unref()
