import { hashSync, verifySync } from '@node-rs/argon2'
import type { HashingTask } from './password-threads.ts'

/** Hashes or verifies one password, in a thread of `password-threads.ts`. */
export function work(task: HashingTask): string | boolean {
  return 'stored' in task ? verifySync(task.stored, task.password) : hashSync(task.password, task.cost)
}
