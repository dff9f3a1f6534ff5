import { lazy, Suspense, useState } from 'react'
import { privacy } from '#messages/identity/privacy.ts'
import { Button } from '../../../../ui/forms/Button.tsx'

const DownloadDialog = lazy(async () => ({ default: (await import('./DownloadDialog.tsx')).DownloadDialog }))

export function Download() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button icon="deposit" onClick={() => setIsOpen(true)}>
        {privacy.download}
      </Button>
      {isOpen && (
        <Suspense>
          <DownloadDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
