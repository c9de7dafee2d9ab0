/** Commands of the guide that `guide.test.ts` does not run itself. */

/** Commands of the command line that need a network, a platform or a mail server, and the tests that run them there. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  doctor: 'test/doctor/doctor.test.ts',
  'inbox attach': 'test/engine/attach.test.ts',
  'invoice recheck': 'test/engine/recheck.test.ts',
  'invoice end': 'test/engine/stuck.test.ts',
  'chain rescan': 'test/engine/rescan.test.ts',
  'chain unfreeze': 'test/engine/frozen.test.ts',
  'chain retire': 'test/engine/stuck.test.ts',
  'transfer name': 'test/engine/named.test.ts',
  'transfer show': 'test/engine/stuck.test.ts',
  'transfer accept': 'test/engine/stuck.test.ts',
  'transfer discard': 'test/engine/stuck.test.ts',
  'exchange add': 'test/exchanges/commands.test.ts',
  'exchange check': 'test/exchanges/commands.test.ts',
  'exchange rescan': 'test/exchanges/commands.test.ts',
  'exchange stop': 'test/exchanges/commands.test.ts',
  'exchange start': 'test/exchanges/commands.test.ts',
  'exchange remove': 'test/exchanges/commands.test.ts',
  'member remove': 'test/cli.test.ts',
  'mail test': 'test/mail/mail-worker.test.ts',
  'job retry': 'test/commands/jobs.test.ts',
  'support bundle': 'test/commands/support.test.ts',
  'audit head': 'src/commands/audit-commands.test.ts',
  'audit begin': 'src/commands/audit-commands.test.ts',
};

/** Why lines are run by nothing here. */
const ENGINE =
  'needs a container engine; what the containers run is started by test/deploy/start.test.ts and pnpm drill image';
const DEBIAN = 'changes the machine as root; typed by hand in a fresh Debian root, up to a paid test invoice';
const CLUSTER = 'needs a cluster; every manifest is checked against the types of the API';
const SYSTEMD = 'needs systemd as the first process; units were verified by systemd-analyze';

/** Other lines of the guide: the file of this repository that runs the line, or why nothing does. */
export const OTHER_LINES: Readonly<Record<string, { by: string } | { because: string }>> = {
  'sha256sum BACKUP': { by: 'apps/server/test/guide/guide.test.ts' },
  'sudo bin/install': { by: 'apps/server/test/deploy/install.test.ts' },
  'sudo docker compose build': { because: ENGINE },
  'sudo docker compose up -d': { because: ENGINE },
  'sudo docker compose run --rm migrate': { because: ENGINE },
  'sudo docker compose up -d --no-deps api': { because: ENGINE },
  'sudo docker compose up -d --no-deps api-2': { because: ENGINE },
  'sudo docker compose run --rm admin keyring init': { because: ENGINE },
  'sudo docker compose run --rm admin doctor': { because: ENGINE },
  'bin/pin-images && git diff': {
    because: 'The registries of images are not reachable here; recorded answers are tested.',
  },
  'bin/build-image --release counterfoil': { by: 'apps/server/tools/images/images.test.ts' },
  'docker run --rm counterfoil admin --help': { because: ENGINE },
  'COUNTERFOIL_DATABASE_URL=postgresql://postgres@db/counterfoil node apps/server/dist/main-migrate.js --roles': {
    by: 'apps/server/src/db/apply-roles.test.ts',
  },
  'node apps/server/dist/main-migrate.js --roles --login /run/secrets/api_database_url --login /run/secrets/worker_database_url':
    { by: 'apps/server/test/deploy/start.test.ts' },
  'apt-get install -y --no-install-recommends ca-certificates curl git npm openssl postgresql caddy': {
    because: DEBIAN,
  },
  'git clone ADDRESS /srv/counterfoil-releases/first': { because: DEBIAN },
  'ln -s /srv/counterfoil-releases/first /srv/counterfoil': { because: DEBIAN },
  'cd /srv/counterfoil-releases/first': { because: DEBIAN },
  'release=/srv/counterfoil-releases/$(date +%Y%m%d-%H%M%S)': { because: DEBIAN },
  'git clone ADDRESS "$release"': { because: DEBIAN },
  'cd "$release" && bin/setup && bin/with-toolchain pnpm build': { because: DEBIAN },
  'export COUNTERFOIL_DATABASE_URL_FILE=/etc/counterfoil/owner': { because: DEBIAN },
  'bin/with-toolchain node apps/server/dist/main-migrate.js --plan': { by: 'apps/server/test/deploy/start.test.ts' },
  'bin/with-toolchain node apps/server/dist/main-migrate.js': { by: 'apps/server/test/deploy/start.test.ts' },
  'ln -s "$release" /srv/counterfoil.new && mv -T /srv/counterfoil.new /srv/counterfoil': { because: DEBIAN },
  'cp -r deploy/systemd/. /etc/systemd/system/ && systemctl daemon-reload': { because: SYSTEMD },
  'bin/setup': { by: '.ci/run' },
  'bin/with-toolchain pnpm build': { by: '.ci/run' },
  'runuser -u postgres -- createdb -E UTF8 -T template0 counterfoil': { because: DEBIAN },
  'runuser -u postgres -- env COUNTERFOIL_DATABASE_URL="postgresql:///counterfoil?host=/var/run/postgresql" bin/with-toolchain deploy/counterfoil migrate --roles':
    { because: DEBIAN },
  'install -d -m 755 /etc/counterfoil': { because: DEBIAN },
  'umask 077': { because: DEBIAN },
  'for role in owner api worker admin dashboard views; do echo "postgresql://counterfoil_$role:$(openssl rand -hex 24)@127.0.0.1/counterfoil" >/etc/counterfoil/$role; done':
    { because: DEBIAN },
  'for role in owner api worker admin dashboard views; do sed -E "s|.*/([a-z_]+):([0-9a-f]+)@.*|alter role \\1 login password \'\\2\'|" /etc/counterfoil/$role | runuser -u postgres -- psql -q counterfoil; done':
    { because: DEBIAN },
  'touch /etc/counterfoil/settings': { because: DEBIAN },
  'umask 022': { because: DEBIAN },
  'for process in api worker dashboard; do adduser --system --group --no-create-home --quiet counterfoil-$process; done':
    { because: DEBIAN },
  'addgroup --system --quiet counterfoil-ring': { because: DEBIAN },
  'for process in worker dashboard; do adduser --quiet counterfoil-$process counterfoil-ring; done': {
    because: DEBIAN,
  },
  'ln -s /srv/counterfoil/deploy/counterfoil-admin /usr/local/bin/counterfoil-admin': { because: DEBIAN },
  'chgrp counterfoil-ring /etc/counterfoil/key-ring.json': { because: DEBIAN },
  'chmod 640 /etc/counterfoil/key-ring.json': { because: DEBIAN },
  'cp -r deploy/systemd/. /etc/systemd/system/': { because: DEBIAN },
  'systemctl daemon-reload': { because: SYSTEMD },
  "sed -e 's/%i/api/g' -e '/^EnvironmentFile=/a Environment=COUNTERFOIL_PORT=3010 COUNTERFOIL_OPERATIONS_PORT=3011' deploy/systemd/counterfoil@.service >/etc/systemd/system/counterfoil-api-2.service":
    { by: 'apps/server/test/deploy/units.test.ts' },
  'systemctl enable --now counterfoil@api counterfoil-api-2 counterfoil@worker counterfoil@dashboard': {
    because: SYSTEMD,
  },
  'for one in counterfoil@api:3001 counterfoil-api-2:3011 counterfoil@dashboard:3004 counterfoil@worker:3002; do systemctl restart ${one%:*}; until curl -fs http://127.0.0.1:${one#*:}/readyz; do sleep 1; done; sleep 2; done':
    { because: SYSTEMD },
  'systemctl restart caddy': { because: SYSTEMD },
  'systemctl enable --now counterfoil-doctor.timer': { because: SYSTEMD },
  "sed -e 's/%i/worker/g' -e '/^EnvironmentFile=/a Environment=COUNTERFOIL_WORKER_OPERATIONS_PORT=3012' deploy/systemd/counterfoil@.service >/etc/systemd/system/counterfoil-worker-2.service":
    { by: 'apps/server/test/deploy/units.test.ts' },
  'systemctl enable --now counterfoil-worker-2': { because: SYSTEMD },
  'kubectl -n counterfoil delete job counterfoil-migrate --ignore-not-found': { because: CLUSTER },
  'kubectl apply -k .': { because: CLUSTER },
  'kubectl -n counterfoil scale deployment counterfoil-admin --replicas 1': { because: CLUSTER },
  'kubectl -n counterfoil exec -it deploy/counterfoil-admin -- counterfoil admin doctor': { because: CLUSTER },
  'kubectl -n counterfoil exec deploy/counterfoil-admin -- env COUNTERFOIL_KEY_RING_FILE=/tmp/key-ring.json counterfoil admin keyring init':
    { because: CLUSTER },
  '(umask 077; kubectl -n counterfoil exec deploy/counterfoil-admin -- cat /tmp/key-ring.json > key-ring.json)': {
    because: CLUSTER,
  },
  'kubectl -n counterfoil create secret generic counterfoil-key-ring --from-file=key-ring.json': { because: CLUSTER },
};
