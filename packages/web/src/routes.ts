import { index, layout, route, type RouteConfig, type RouteConfigEntry } from '@react-router/dev/routes'
import { paths } from './app/paths.ts'

/** Page whose id is its path, because ids are sent with every page and the default ids, file paths, are longer. */
const page = (path: string, file: string, children?: RouteConfigEntry[]) => route(path, file, { id: path }, children)

export default [
  layout('features/marketing/frame/SiteLayout.tsx', { id: 'site' }, [
    index('features/marketing/Landing.tsx', { id: 'landing' }),
    page(paths.howItWorks, 'features/marketing/how-it-works/HowItWorksPage.tsx'),
    page(paths.security, 'features/marketing/security/SecurityPage.tsx'),
    page(paths.prices, 'features/marketing/prices/PricesPage.tsx'),
    page(paths.terms, 'features/marketing/legal/Terms.tsx'),
    page(paths.privacy, 'features/marketing/legal/Privacy.tsx'),
    page(paths.compliance, 'features/marketing/legal/Compliance.tsx'),
    page(paths.help, 'features/marketing/help/HelpPage.tsx'),
  ]),
  layout('app/shell/PlainLayout.tsx', { id: 'plain' }, [
    page(paths.login, 'features/identity/sign-in/Login.tsx'),
    page(paths.signup, 'features/identity/Signup.tsx'),
    ...[
      paths.verifyEmail,
      paths.loginLink,
      paths.resetPassword,
      paths.unrecognizedSignIn,
      paths.freezeAccount,
      paths.cancelPayment,
      paths.authCallback,
    ].map((path) => page(path, 'features/identity/ReturnPages.tsx')),
    page(paths.register, 'features/kyc/Register.tsx'),
    page(paths.pay, 'features/requests/pay/Pay.tsx'),
    route(`${paths.track}/:code?`, 'features/tracking/Track.tsx', { id: paths.track }),
    route(`${paths.certificate}/:code?`, 'features/statements/certificates/CertificatePage.tsx', {
      id: paths.certificate,
    }),
    route(`${paths.recompute}/:code?`, 'features/prices/Recompute.tsx', { id: paths.recompute }),
    page(paths.verifyReceipt, 'features/verify/Verify.tsx'),
    page(paths.gallery, 'features/gallery/Gallery.tsx'),
  ]),
  layout('app/shell/AppLayout.tsx', { id: 'app' }, [
    page(paths.dashboard, 'features/dashboard/Dashboard.tsx'),
    page(paths.transactions, 'features/transactions/list/Transactions.tsx'),
    page(paths.statements, 'features/statements/StatementsPage.tsx'),
    page(paths.insights, 'features/insight/InsightPages.tsx'),
    page(paths.atlas, 'features/insight/InsightPages.tsx'),
    page(paths.receipt, 'features/transactions/receipt/Receipt.tsx'),
    route(`${paths.disputes}/:code?`, 'features/disputes/DisputesPage.tsx', { id: paths.disputes }),
    route(`${paths.checks}/:code?`, 'features/checks/Checks.tsx', { id: paths.checks }),
    page(paths.calls, 'features/calls/CallsPage.tsx'),
    page(paths.wallet, 'features/wallets/Wallet.tsx'),
    page(paths.exchange, 'features/exchange/Exchange.tsx'),
    page(paths.orders, 'features/orders/Orders.tsx'),
    page(paths.protection, 'features/orders/protection/Protection.tsx'),
    page(paths.send, 'features/transfers/Send.tsx'),
    page(paths.scheduled, 'features/schedules/SchedulesPage.tsx'),
    page(paths.receive, 'features/requests/Receive.tsx'),
    page(paths.split, 'features/requests/split/SplitPage.tsx'),
    page(paths.deposit, 'features/payments/deposit/Deposit.tsx'),
    page(paths.withdraw, 'features/payments/withdrawal/Withdraw.tsx'),
    page(paths.demo, 'features/demo/Demo.tsx'),
    page(paths.profile, 'features/identity/Profile.tsx', [
      index('features/kyc/VerificationPart.tsx', { id: 'verification' }),
    ]),
    page(paths.settings, 'features/identity/Settings.tsx', [
      index('features/identity/settings/security/SecuritySettings.tsx', { id: 'protecting' }),
      page(paths.limitSettings, 'features/limits/LimitSettings.tsx'),
      page(paths.deviceSettings, 'features/identity/settings/devices/DeviceSettings.tsx'),
      page(paths.privacySettings, 'features/identity/settings/PrivacySettings.tsx'),
      page(paths.notificationSettings, 'features/identity/settings/NotificationSettings.tsx'),
      page(paths.connectionSettings, 'features/identity/settings/ConnectionSettings.tsx', [
        index('features/payments/methods/PaymentMethods.tsx', { id: 'methods' }),
      ]),
    ]),
    route('*', 'app/shell/NotFound.tsx', { id: '*' }),
  ]),
] satisfies RouteConfig
