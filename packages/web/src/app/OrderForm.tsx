import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../ui/forms/Button.tsx'
import { OrderNote } from './orders/OrderNote.tsx'
import { Form } from './forms/Form.tsx'
import type { useOrderForm } from './use-order-form.ts'

interface OrderFormProps extends Pick<ComponentProps<typeof OrderNote>, 'texts' | 'unknownTitle' | 'refused'> {
  form: Pick<ReturnType<typeof useOrderForm>, 'state' | 'submitCount' | 'isLocked' | 'submit'>
  className?: string
  /** What the button says, and what it says after an order of which nobody knows what became. */
  action: string
  again: string
  icon: ComponentProps<typeof Button>['icon']
  /** Something is on its way without which nothing can be ordered. */
  isAwaited?: boolean
  /** Stands beside the fields. */
  aside?: ReactNode
  /** Stands under the fields. */
  below?: ReactNode
  children: ReactNode
}

/** The fields of an order, what becomes of it, and the button that sends it. */
export function OrderForm({ form, className = 'form-beside', aside, below, children, ...props }: OrderFormProps) {
  const { action, again, icon, isAwaited, ...note } = props
  const { state } = form
  return (
    <Form className={className} submitCount={form.submitCount} onSubmit={form.submit}>
      <div className="grid gap-6">
        <fieldset className="grid gap-6" disabled={form.isLocked}>
          {children}
        </fieldset>
        {below}
        <OrderNote state={state} {...note} />
      </div>
      {aside && <aside>{aside}</aside>}
      <div className="form-actions">
        <Button
          look="primary"
          big
          type="submit"
          icon={icon}
          processing={state.status === 'sending'}
          aria-disabled={isAwaited || undefined}
        >
          {state.status === 'unknown' ? again : action}
        </Button>
      </div>
    </Form>
  )
}
