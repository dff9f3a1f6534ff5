import type { Feature } from '../../manifests/feature.ts'
import { readJobId } from '../../platform/database/queue/job-payload.ts'
import { notificationsRoutes } from './notifications.routes.ts'

export const feature: Feature = {
  name: 'notifications',
  routes: (api, { notifications }) => notificationsRoutes(api, notifications),
  tasks: [{ name: 'resume_mails', at: '* * * * *', run: ({ notifications }) => notifications.resumeSending() }],
  jobs: [
    {
      name: 'send_mail',
      atOnce: 8,
      hasOwnRunner: true,
      async run({ notifications, metrics }, payload) {
        const outcome = await notifications.send(readJobId(payload, 'mailId'))
        if (outcome !== undefined && outcome !== 'sent') metrics.mailsGivenUp.inc({ reason: outcome })
      },
    },
  ],
  gauges: [
    {
      name: 'tern_mail_oldest_waiting_seconds',
      help: 'How long the oldest waiting mail has been waiting',
      read: ({ notifications }) => notifications.waitingSeconds(),
    },
  ],
}
