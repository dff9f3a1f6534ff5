import { copying } from '#messages/copying.ts'
import { useToast } from './Toast.tsx'

/** Puts a text into the clipboard; a toast says `done`, or that it failed. */
export function useCopy(): (text: string, done: string) => void {
  const toast = useToast()
  return (text, done) =>
    void navigator.clipboard.writeText(text).then(
      () => toast(done),
      () => toast(copying.failed, 'warning'),
    )
}
