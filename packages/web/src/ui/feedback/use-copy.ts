import { copying } from '#messages/copying.ts'
import { useToast } from './Toast.tsx'

/** Puts a text into the clipboard; a toast says `said`, or that it failed. */
export function useCopy(): (text: string, said: string) => void {
  const toast = useToast()
  return (text, said) =>
    void navigator.clipboard.writeText(text).then(
      () => toast(said),
      () => toast(copying.failed, 'warning'),
    )
}
