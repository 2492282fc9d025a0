/* main.c - argv to command; the only place that exits. */
int main(void)
{
    return 0;
}
