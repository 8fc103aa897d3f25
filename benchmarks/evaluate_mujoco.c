/* MuJoCo's mj_forward in a loop, for bench_evaluate.py. */
#include <mujoco/mujoco.h>
#include <string.h>
#include <time.h>

static mjModel *model;
static mjData *data;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

int peer_load(const char *path)
{
    model = mj_loadModel(path, NULL);
    data = model ? mj_makeData(model) : NULL;
    return data ? 0 : 1;
}

/* Runs so many calls over so many states in turn; returns nanoseconds a call. */
double peer_run(const double *q, const double *v, const double *tau, double *out, long calls,
                long states)
{
    const long n = model->nv;
    const double begin = now();
    for (long i = 0; i < calls; ++i) {
        const long k = (i % states) * n;
        memcpy(data->qpos, q + k, n * sizeof *q);
        memcpy(data->qvel, v + k, n * sizeof *v);
        memcpy(data->qfrc_applied, tau + k, n * sizeof *tau);
        mj_forward(model, data);
        memcpy(out + k, data->qacc, n * sizeof *out);
    }
    return (now() - begin) / calls;
}
