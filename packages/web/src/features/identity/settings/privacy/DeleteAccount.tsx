import { lazy, Suspense, useState } from 'react'
import { graceDays } from '@tern/contract/privacy/grace'
import { privacy } from '#messages/identity/privacy.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { Entry } from '../../../../ui/layout/RuledSection.tsx'

const privacyEnd =
  'mt-14 py-6 border-t [&_.entry-words]:basis-60 max-sm:[&_.entry-words]:basis-55 [&_.entry-words]:max-w-140 [&_.entry]:justify-between'

const DeleteDialog = lazy(async () => ({ default: (await import('./DeleteDialog.tsx')).DeleteDialog }))

export function DeleteAccount({ userId }: { userId: number }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className={privacyEnd}>
      <Entry title={privacy.deleteTitle} text={privacy.deleteText(graceDays)}>
        <Button onClick={() => setIsOpen(true)}>{privacy.deleteButton}</Button>
      </Entry>
      {isOpen && (
        <Suspense>
          <DeleteDialog userId={userId} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
