import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { paths } from '../paths.ts'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { Chip } from '../../ui/layout/Chip.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'

interface ReceiptProps {
  title: string
  status: ComponentProps<typeof Chip>['status']
  /** What the amount is called. */
  caption: string
  /** What arrives, with its sign. */
  amount: string
  entries: ComponentProps<typeof DefinitionList>['entries']
  note?: ReactNode
  texts: { seeTransactions: string; another: string }
  onAnother: () => void
}

/** What was ordered at a bank and takes its days. The title takes the focus. */
export function Receipt({ title, status, caption, amount, entries, note, texts, onAnother }: ReceiptProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className="mt-8 max-w-140">
      <Sheet scaleBar>
        <div className="p-6 md:p-8">
          <div className="row">
            <h2 className="display-s grow outline-none" tabIndex={-1} ref={heading}>
              {title}
            </h2>
            <Chip status={status} />
          </div>
          <p className="small muted mt-6">{caption}</p>
          <p className="balance balance-small">{amount}</p>
          <div className="mt-6 border-t">
            <DefinitionList small entries={entries} />
          </div>
          {note && <p className="small muted mt-4">{note}</p>}
        </div>
      </Sheet>
      <div className="form-actions mt-6 flex-wrap">
        <LinkButton look="primary" big to={paths.transactions}>
          {texts.seeTransactions}
        </LinkButton>
        <Button big onClick={onAnother}>
          {texts.another}
        </Button>
      </div>
    </div>
  )
}
