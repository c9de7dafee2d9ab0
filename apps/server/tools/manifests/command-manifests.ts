import { DATABASE, metadataOf, labelsOf, podOf, RING, SHARED, variables } from './process-manifests.ts';
import type { Manifest } from './validate-manifest.ts';

/** Manifests of what runs beside the processes: the migration, the command line and the doctor. */

const MIGRATION_SECONDS = 3_600;
const briefly = { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '512Mi' } };

/** Runs as the owner of the schema. It reads no other setting, because it has no other secret. */
export const migration: Manifest = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: metadataOf('migrate', 'migrate'),
  spec: {
    backoffLimit: 6,
    activeDeadlineSeconds: MIGRATION_SECONDS,
    template: {
      metadata: { labels: labelsOf('migrate') },
      spec: {
        ...podOf('migrate', false, { args: ['migrate'], env: variables(DATABASE), resources: briefly }),
        restartPolicy: 'OnFailure',
      },
    },
  },
};

/**
 * The command line: a waiting pod in which commands are run, scaled up only when needed. A job could not get a
 * command's arguments.
 */
export const commandLine: Manifest = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadataOf('admin', 'admin'),
  spec: {
    replicas: 0,
    selector: { matchLabels: labelsOf('admin') },
    template: {
      metadata: { labels: labelsOf('admin') },
      spec: {
        ...podOf('admin', true, {
          command: ['node', '-e', 'setInterval(() => {}, 3_600_000)'],
          envFrom: SHARED,
          env: variables({ ...DATABASE, ...RING }),
          resources: briefly,
        }),
        terminationGracePeriodSeconds: 1,
      },
    },
  },
};

const EXAMINATION_SECONDS = 300;

/**
 * The doctor, every hour: a job that fails when something is wrong, so that the cluster's own alerts see it. It has the
 * Secret of the command line.
 */
export const examination: Manifest = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: metadataOf('doctor', 'doctor'),
  spec: {
    schedule: '17 * * * *',
    concurrencyPolicy: 'Forbid',
    startingDeadlineSeconds: EXAMINATION_SECONDS,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 3,
    jobTemplate: {
      spec: {
        // A finding does not go away by asking again.
        backoffLimit: 0,
        activeDeadlineSeconds: EXAMINATION_SECONDS,
        template: {
          metadata: { labels: labelsOf('doctor') },
          spec: {
            ...podOf(
              'doctor',
              true,
              {
                args: ['admin', 'doctor', '--alarm', 'yes'],
                envFrom: SHARED,
                env: variables({ ...DATABASE, ...RING }),
                resources: briefly,
              },
              'admin',
            ),
            restartPolicy: 'Never',
          },
        },
      },
    },
  },
};
