// Loaded before the product's own code in every process the supervisor starts: when the supervisor is gone, however it
// went, nobody is left behind to hold ports and connections.

const hangingAfterMs = 10_000

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), hangingAfterMs).unref()
  process.kill(process.pid, 'SIGTERM')
})
// Listening alone would keep a process alive that has nothing left to do.
process.channel?.unref()
